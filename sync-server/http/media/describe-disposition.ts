/** The Content-Disposition of a file: its name as RFC 6266 wants it, once in ASCII and once in UTF-8. */
export function describeDisposition(options: { isInline: boolean; filename: string }): string {
  const { isInline, filename } = options
  const plain = filename.replace(/[^ -~]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const kind = isInline ? 'inline' : 'attachment'
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
