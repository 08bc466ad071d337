import { isIPv6 } from 'node:net'

/**
 * What stands for a caller where attempts are counted: an IPv4 address whole; of an IPv6 address the first 64 bits,
 * because a single customer is given all the rest and could try each time from another one.
 */
export function nameNetwork(address: string): string {
  const [plain = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped || !isIPv6(plain)) return mapped ?? plain
  // A URL writes an address in its one canonical form.
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return `${[...before, ...Array(zeros).fill('0'), ...after].slice(0, 4).join(':')}::/64`
}
