import { expect, test } from 'vitest'
import { isForShowingOnly, isPushEndpoint } from './push-endpoint.ts'

test.each([
  'https://fcm.googleapis.com/fcm/send/abc:def',
  'https://updates.push.services.mozilla.com/wpush/v2/abc',
  'https://web.push.apple.com/abc',
  'https://wns2-db5p.notify.windows.com/w/?token=abc',
])('%s is an endpoint', (endpoint) => {
  expect(isPushEndpoint(endpoint)).toBe(true)
})

test.each([
  ['https://web.push.apple.com/abc', true],
  ['https://api.push.apple.com/abc', true],
  ['https://push.apple.com.example/abc', false],
  ['https://fcm.googleapis.com/push.apple.com', false],
])('%s has to show every push: %s', (endpoint, isFor) => {
  expect(isForShowingOnly(endpoint)).toBe(isFor)
})
