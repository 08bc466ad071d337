import { Resolver } from 'node:dns/promises'
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

const answerDueWithinMs = 2_000

/**
 * Looks names up for connections, which then use exactly these addresses: a name cannot lead
 * elsewhere a moment later. Asks name servers directly: the system's own look-up holds one of four
 * threads until it ends, the storage needs the same four, and anybody can name a host whose name
 * server never answers.
 * @param servers name servers for tests; the system's by default
 */
export function createPublicLookUp(servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: answerDueWithinMs, tries: 2 })
  if (servers) resolver.setServers(servers)

  async function find(hostname: string, family: unknown) {
    const asked = [
      ...(family === 6 || family === 'IPv6'
        ? []
        : [{ family: 4, ask: resolver.resolve4(hostname) }]),
      ...(family === 4 || family === 'IPv4'
        ? []
        : [{ family: 6, ask: resolver.resolve6(hostname) }]),
    ]
    const found = await Promise.all(
      asked.map(async ({ family, ask }) => {
        const addresses = await ask.catch(() => [])
        return addresses.filter(isPublicAddress).map((address) => ({ address, family }))
      }),
    )
    return found.flat()
  }

  return (hostname, { family, all }, callback) => {
    const give = (open: { address: string; family: number }[]) => {
      const [first] = open
      if (!first) callback(new Error(`${hostname} has no public address.`), '', 0)
      else if (all) callback(null, open)
      else callback(null, first.address, first.family)
    }
    // Whatever the callback throws is the connection's own: it must not become a rejection here.
    void find(hostname, family)
      .catch(() => [])
      .then((open) => setImmediate(give, open))
  }
}
