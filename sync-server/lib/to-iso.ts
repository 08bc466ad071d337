/** An epoch ms in the API's form. */
export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The same, where 0 stands for never. */
export function toIsoOrNull(epochMs: number): string | null {
  return epochMs > 0 ? toIso(epochMs) : null
}
