/** Bytes in base64url, without padding (RFC 4648). */
export function toBase64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

/** @throws when it is no base64url, or not the one way to write these bytes. */
export function fromBase64Url(text: string): Uint8Array {
  if (!/^[\w-]*$/.test(text)) throw new Error('This is not base64url.')
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
  if (toBase64Url(bytes) !== text) throw new Error('This is not the one way to write it.')
  return bytes
}
