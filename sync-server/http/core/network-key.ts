import { isIPv6 } from 'node:net'

/**
 * The key of a caller where attempts are counted: a whole IPv4 address, or the first 64 bits of an
 * IPv6 address, because one customer owns the rest and could change it at each try.
 */
export function networkKey(address: string): string {
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
