/** The range of ids that begin with `prefix`. */
export function idsFrom(prefix: string) {
  return { startkey: prefix, endkey: `${prefix}\uffff` }
}
