/** The checksum of PNG and ZIP. Node has its own from version 22. */
export function crc32(bytes: Uint8Array): number {
  const sum = { value: 0xffffffff }
  for (const byte of bytes) {
    sum.value ^= byte
    for (let bit = 0; bit < 8; bit += 1) {
      sum.value = sum.value & 1 ? (sum.value >>> 1) ^ 0xedb88320 : sum.value >>> 1
    }
  }
  return (sum.value ^ 0xffffffff) >>> 0
}
