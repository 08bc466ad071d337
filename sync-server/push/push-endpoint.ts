import { isIP } from 'node:net'

/**
 * May pushes go to this address? Only by HTTPS, on its usual port, to a named public host: anybody
 * who is signed in can give any address. `lookUpPublic` checks where the name leads.
 */
export function isPushEndpoint(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, port, hostname, username, password } = new URL(endpoint)
  const isPlain = protocol === 'https:' && port === '' && username === '' && password === ''
  const isNamed = isIP(hostname.replace(/[[\]]/g, '')) === 0 && /\.[a-z]/i.test(hostname)
  return isPlain && isNamed && !/\.(localhost|local|internal|home\.arpa|lan)\.?$/i.test(hostname)
}

/** Apple takes the permission away from an app whose push shows nothing. */
export function isForShowingOnly(endpoint: string): boolean {
  return URL.canParse(endpoint) && /(^|\.)push\.apple\.com$/i.test(new URL(endpoint).hostname)
}
