import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../testing/start-test-app.ts'
import { networkKey } from './network-key.ts'

describe('a caller’s network', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkKey(address)).toBe(network)
  })

  it('is stopped as a whole when it guesses', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })
    try {
      const guessFrom = async (address: string) => {
        const headers = { 'x-forwarded-for': address }
        const body = { username: 'ann', password: 'guess' }
        return (await app.call('POST', '/api/auth/login', { headers, body })).status
      }
      for (let i = 1; i <= 10; i += 1) expect(await guessFrom(`2001:db8:1:2::${i}`)).toBe(401)
      expect(await guessFrom('2001:db8:1:2:ffff::1')).toBe(429)
      expect(await guessFrom('2001:db8:1:3::1')).toBe(401)
    } finally {
      await app.close()
    }
  })
})
