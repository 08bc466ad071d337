import { afterEach, expect, test, vi } from 'vitest'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { createNotificationChoice } from './notification-choice.ts'

afterEach(() => vi.unstubAllGlobals())

const iPhone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)', maxTouchPoints: 5 }
const iPad = { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', maxTouchPoints: 5 }
const mac = { ...iPad, maxTouchPoints: 0 }
const laptop = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140', maxTouchPoints: 0 }

function open(navigator: object, { hasNotifications = true } = {}) {
  vi.stubGlobal('localStorage', createKeyValueStorage())
  vi.stubGlobal('navigator', navigator)
  if (hasNotifications) vi.stubGlobal('Notification', { permission: 'default' })
  return createNotificationChoice()
}

test.each([
  ['a tab on an iPhone', 'install', { ...iPhone, standalone: false }],
  ['a tab on an iPad', 'install', { ...iPad, standalone: false }],
  ['the installed app on an iPhone', 'ask', { ...iPhone, standalone: true }],
  ['Safari on a Mac', 'ask', { ...mac, standalone: false }],
  ['a laptop', 'ask', laptop],
])('%s says “%s”', (_, state, navigator) => {
  expect(open(navigator).getSnapshot()).toBe(state)
})

test('a tab on an iPhone has no notifications at all, and asks for installing', async () => {
  const choice = open({ ...iPhone, standalone: false }, { hasNotifications: false })
  expect(choice.getSnapshot()).toBe('install')
  await choice.turnOn()
  expect(choice.getSnapshot()).toBe('install')
})

test('a browser without notifications says so', () => {
  expect(open(laptop, { hasNotifications: false }).getSnapshot()).toBe('unsupported')
})
