import { lookup as lookUp } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Addresses that lead into somebody's own network. Source: IANA's special-purpose registries. */
const closed = new BlockList()
const closedNets = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/** Outside 2000::/3 nothing is public; inside it are tunnels that carry any IPv4 address. */
const closedSixNets = ['2001::/23', '2001:db8::/32', '2002::/16']

for (const net of closedNets) add(net, 'ipv4')
for (const net of closedSixNets) add(net, 'ipv6')
const openSix = new BlockList()
openSix.addSubnet('2000::', 3, 'ipv6')

function add(net: string, family: 'ipv4' | 'ipv6') {
  const [address = '', bits] = net.split('/')
  closed.addSubnet(address, Number(bits), family)
}

/** May a server that strangers give addresses to connect to this one? */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !closed.check(address, 'ipv4')
  return isIP(address) === 6 && openSix.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}

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

/**
 * Looks a name up as the connection does it, which then uses exactly these addresses: a name cannot
 * lead elsewhere a moment later.
 */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '', 0)
    const open = found.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (!first) return callback(new Error(`${hostname} has no public address.`), '', 0)
    if (options.all) callback(null, open)
    else callback(null, first.address, first.family)
  })
}
