/**
 * A 53-bit fingerprint, never 0: a collision between two texts of one message is as likely as a
 * broken disk. Mixes like MurmurHash3, in two lanes.
 */
export function printText(text: string): number {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0xcc9e2d51)
    low ^= low >>> 15
    high = Math.imul(high ^ unit, 0x1b873593)
    high ^= high >>> 13
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1
}
