import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession, waitUntilKept } from './account-steps.ts'
import { chatRow, message, openChat, say } from './chat-steps.ts'
import { createLook } from './looks/look.ts'
import { startTwoPeople } from './start-two-people.ts'

interface Told {
  title: string
  body: string
}

declare global {
  var told: Told[]
}

const people = await startTwoPeople({
  keepsApp: true,
  hasWholeBrowser: true,
})
const { ann, ben } = people
const look = await createLook(ann.page)
const benId = (await readSession(ben)).userId
const { origin } = people.server
const carl = await registerAccount(origin, 'carl')
const readBadge = () => ann.page.evaluate(() => globalThis.badge)
const readTold = () => ann.page.evaluate(() => globalThis.told)

beforeAll(async () => {
  await ann.profile.context.addInitScript(recordNotifications)
  await ann.profile.context.grantPermissions(['notifications'])
  await openChat(ben.page, 'ann')
  await say(ben.page, 'before anybody chose')
})

afterAll(() => people.close())

test('it is offered once, after the first own message, and can be refused', async () => {
  await ann.page.evaluate(() => localStorage.removeItem('notifications'))
  await ann.profile.context.clearPermissions()
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').getByText('before anybody chose').waitFor()
  const offer = ann.page.getByRole('complementary', { name: 'Notifications' })
  expect(await offer.count()).toBe(0)
  await openChat(ann.page, 'ben')
  await say(ann.page, 'my first')
  await offer.waitFor()
  await look('the offer of notifications', { widths: [1280, 390] })
  await offer.getByRole('button', { name: 'Not now' }).click()
  await offer.waitFor({ state: 'detached' })
  await ann.page.reload()
  await chatRow(ann.page, 'ben').getByText('my first').waitFor()
  expect(await offer.count()).toBe(0)
})

test('a hidden page tells of a message with its sender and words; a visible one does not', async () => {
  await ann.profile.context.grantPermissions(['notifications'])
  await ann.page.goto('/settings/notifications')
  await ann.page.getByText('Notifications are off on this device').waitFor()
  await look('the settings of notifications, off')
  await ann.page.getByRole('button', { name: 'Turn on notifications' }).click()
  await ann.page.getByText("You'll be notified").waitFor()
  await look('the settings of notifications, on')
  await ann.page.goto('/chat')
  await untilNotifierStarts()
  await say(ben.page, 'while you look')
  // The count on the title may come before the message.
  await chatRow(ann.page, 'ben').getByText('while you look').waitFor()
  await setVisibility('hidden')
  await say(ben.page, 'while you are away')
  await expect.poll(readTold).toEqual([{ title: 'ben', body: 'while you are away' }])
})

test('a hidden page tells of a reaction to what its person wrote', async () => {
  await ann.page.goto('/chat')
  await openChat(ann.page, 'ben')
  await say(ann.page, 'what do you think?')
  await message(ben.page, 'what do you think?').waitFor()
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').getByText('what do you think?').waitFor()
  await untilNotifierStarts()
  await setVisibility('hidden')
  await message(ben.page, 'what do you think?').click({ button: 'right' })
  await ben.page.getByRole('menuitemradio', { name: 'Red heart' }).click()
  await expect.poll(readTold).toEqual([{ title: 'ben', body: 'Reacted ❤️ to: what do you think?' }])
})

test('a muted chat says nothing, and does not count', async () => {
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').click({ button: 'right' })
  await ann.page.getByRole('menuitem', { name: 'Mute' }).click()
  await ann.page.getByRole('menuitem', { name: '8 hours' }).click()
  await chatRow(ann.page, 'ben').getByRole('img', { name: 'Muted' }).waitFor()
  await untilNotifierStarts()
  await setVisibility('hidden')
  await say(ben.page, 'into the silence')
  await chatRow(ann.page, 'ben').getByText('into the silence').waitFor()
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin, author: carl, recipientId, count: 1 })
  await expect.poll(readTold).toMatchObject([{ title: 'carl' }])
  await expect.poll(() => ann.page.title()).toBe('(1) Petrel')
})

test('a click on it leads to the chat', async () => {
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').click({ button: 'right' })
  await ann.page.getByRole('menuitem', { name: 'Unmute' }).click()
  await chatRow(ann.page, 'ben').getByRole('img', { name: 'Muted' }).waitFor({ state: 'detached' })
  await untilNotifierStarts()
  await setVisibility('hidden')
  await say(ben.page, 'come and see')
  await expect.poll(async () => (await readTold()).length).toBe(1)
  await ann.page.evaluate(() => globalThis.lastNotification?.onclick?.(new Event('click')))
  await ann.page.waitForURL(`**/chat/${benId}`)
})

test('a click that only the service worker hears leads to the chat too', async () => {
  await waitUntilKept(ann)
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').waitFor()
  const { context } = ann.profile
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  // Without a real tap the browser may refuse to focus the tab; the rest is as on a phone.
  await worker.evaluate((path) => {
    const notification = { data: { path }, close() {} }
    const given = {
      notification,
      action: '',
      waitUntil: (work: Promise<unknown>) => work.catch(() => {}),
    }
    dispatchEvent(Object.assign(new Event('notificationclick'), given))
  }, `/chat/${benId}`)
  await ann.page.waitForURL(`**/chat/${benId}`)
})

test('what the service worker has shown, as on a phone, is taken away when the page is seen again', async () => {
  await hideOnPhone()
  await say(ben.page, 'to your phone')
  // Chromium forgets a notification when asked while showing it: it deletes stored ones not yet
  // visible.
  await expect.poll(() => ann.page.evaluate(() => globalThis.shownByWorker)).toBe(1)
  expect(await readShown()).toEqual(['to your phone'])
  await setVisibility('visible')
  await expect.poll(readShown).toEqual([])
})

test('a message that is withdrawn leaves no words in a notification', async () => {
  await hideOnPhone()
  const countShown = () => ann.page.evaluate(() => globalThis.shownByWorker)
  const { userId: recipientId } = await readSession(ann)
  const author = await readSession(ben)
  const headers = { authorization: `Bearer ${author.token}` }
  const write = async (content: string) => {
    const data = { recipientId, content }
    const answer = await ben.page.request.post(`${origin}/api/messages`, { headers, data })
    return (await answer.json())._id as string
  }
  await write('as agreed')
  await expect.poll(countShown).toBe(1)
  const slip = await write('not meant for you')
  await expect.poll(countShown).toBe(2)
  expect(await readShown()).toEqual(['2 new messages\nnot meant for you'])
  await ben.page.request.delete(`${origin}/api/messages/${slip}`, { headers })
  await expect.poll(readShown).toEqual([])
})

test('the app’s badge is the number on the title', async () => {
  const expectCount = async (count: number) => {
    await expect.poll(() => ann.page.title()).toBe(`(${count}) Settings | Petrel`)
    await expect.poll(readBadge).toBe(count)
  }
  await ann.page.goto('/chat')
  for (const username of ['ben', 'carl']) {
    await chatRow(ann.page, username).click()
    // A chat that is left before its messages are loaded stays unread.
    const unread = chatRow(ann.page, username).getByRole('img', { name: /unread/ })
    await unread.waitFor({ state: 'detached' })
  }
  await expect.poll(readBadge).toBe(0)
  await ann.page.goto('/settings')
  await say(ben.page, 'one')
  await expectCount(1)
  await say(ben.page, 'two')
  await expectCount(2)
})

declare global {
  var badge: number | undefined
  var lastNotification: Notification | undefined
  var shownByWorker: number | undefined
}

/** Runs in the page: records the browser's notifications and the app's badge. */
function recordNotifications(): void {
  globalThis.told = []
  const setBadge = async (count?: number) => {
    globalThis.badge = count ?? 0
  }
  Object.assign(navigator, { setAppBadge: setBadge, clearAppBadge: setBadge })
  globalThis.Notification = class extends Notification {
    constructor(title: string, options: NotificationOptions = {}) {
      super(title, options)
      globalThis.told.push({ title, body: options.body ?? '' })
      globalThis.lastNotification = this
    }
  }
  const { prototype } = ServiceWorkerRegistration
  const { showNotification } = prototype
  prototype.showNotification = async function (...news) {
    await showNotification.apply(this, news)
    globalThis.shownByWorker = (globalThis.shownByWorker ?? 0) + 1
  }
}

/** A page out of sight, whose notifications come from the service worker, as on a phone. */
async function hideOnPhone() {
  await ann.page.goto('/settings')
  await ann.page.evaluate(() => {
    globalThis.Notification = new Proxy(Notification, {
      construct() {
        throw new TypeError('Illegal constructor')
      },
    })
  })
  await untilNotifierStarts()
  await setVisibility('hidden')
}

const readShown = () =>
  ann.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    return (await registration.getNotifications()).map(({ body }) => body)
  })

/** The notifier starts a moment after the page, and never reports what came before. */
async function untilNotifierStarts() {
  await expect.poll(readBadge).toBeDefined()
}

/** Headless Chromium never hides a page, so this simulates it. */
async function setVisibility(state: DocumentVisibilityState) {
  await ann.page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { get: () => state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
