import { expect, test } from 'vitest'
import { isForShowingOnly, isPublicAddress, isPushEndpoint, lookUpPublic } from './push-endpoint.ts'

test.each([
  'https://fcm.googleapis.com/fcm/send/abc:def',
  'https://updates.push.services.mozilla.com/wpush/v2/abc',
  'https://web.push.apple.com/abc',
  'https://wns2-db5p.notify.windows.com/w/?token=abc',
])('%s is an endpoint', (endpoint) => {
  expect(isPushEndpoint(endpoint)).toBe(true)
})

test.each(['8.8.8.8', '142.250.74.110', '2a00:1450:4001:82b::200a', '2620:149:20d::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
  ...['100.64.0.1', '224.0.0.1', '255.255.255.255', '::1', '::', 'fd00::1', 'fe80::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1'],
  ...['localhost', ''],
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('a name that leads to this machine is not connected to', async () => {
  const found = await new Promise((resolve) =>
    lookUpPublic('localhost', {}, (error, address) => resolve(error ? 'refused' : address)),
  )
  expect(found).toBe('refused')
})

test.each([
  ['https://web.push.apple.com/abc', true],
  ['https://api.push.apple.com/abc', true],
  ['https://push.apple.com.example/abc', false],
  ['https://fcm.googleapis.com/push.apple.com', false],
])('%s has to show every push: %s', (endpoint, isFor) => {
  expect(isForShowingOnly(endpoint)).toBe(isFor)
})
