/** The marks of an animation stand near the beginning. */
const headBytes = 64 * 1024

/**
 * Does a WebP or PNG move? Sources: https://developers.google.com/speed/webp/docs/riff_container and
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export async function isAnimated(picture: Blob): Promise<boolean> {
  const head = new Uint8Array(await picture.slice(0, headBytes).arrayBuffer())
  const text = new TextDecoder('latin1').decode(head)
  if (text.startsWith('WEBPVP8X', 8)) return ((head[20] ?? 0) & 0b10) !== 0
  if (!text.startsWith('PNG', 1)) return false
  const [animation, image] = [text.indexOf('acTL'), text.indexOf('IDAT')]
  return animation >= 0 && (image < 0 || animation < image)
}
