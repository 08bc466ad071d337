import { deviceLinkId } from '../../../schema/api/device-link.ts'

/** The id in a sign-in code's link, or in its fragment; undefined for any other text. */
export function readDeviceCode(text: string): string | undefined {
  const written = text.trim()
  const at = written.lastIndexOf('#')
  const isLink = at < 0 || at === 0 || /\/link$/.test(written.slice(0, at))
  const found = deviceLinkId.safeParse(written.slice(at + 1))
  return isLink && found.success ? found.data : undefined
}
