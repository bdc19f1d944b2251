// The command line of `npm run sbom`.
module.exports = /** @type {const} */ ({
  name: 'sbom',
  usage: 'npm run -s sbom --',
  summary: 'Writes the packages that ship as a CycloneDX document to standard output.',
  options: {},
});
