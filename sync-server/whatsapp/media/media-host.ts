/**
 * May a file be fetched from this host, with the token? Only over HTTPS from the configured hosts,
 * or from the Graph API's own address.
 */
export function isMediaHost(
  address: string,
  settings: { graphBaseUrl: string; mediaHosts: readonly string[] },
): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username || url.password) return false
  if (url.origin === new URL(settings.graphBaseUrl).origin) return true
  if (url.protocol !== 'https:' || url.port !== '') return false
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  return settings.mediaHosts.some((suffix) => {
    const name = suffix.replace(/^\./, '')
    return host === name || host.endsWith(`.${name}`)
  })
}
