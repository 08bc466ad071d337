import { afterAll, expect, test } from 'vitest'
import { signIn } from './account-steps.ts'
import { chatRow, composer, say } from './chat-steps.ts'
import { damagePushes } from './faults/damage-pushes.ts'
import { fillScreens } from './looks/fill-screens.ts'
import { createLook } from './looks/look.ts'
import {
  chooseOn,
  forwardDialog,
  ownWords,
  select,
  selectionBar,
  showBeside,
} from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer()
const cast = await fillScreens(server.origin)
// A service worker would make some requests in place of the page.
const ann = await createPerson(server, cast.ann.email, {
  hasFirstLoad: true,
  pushesByRequests: true,
})
const { page } = ann
const look = await createLook(page)

afterAll(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await ann.close()
  await server.close()
})

const see = (words: string | RegExp) =>
  page.getByText(words).filter({ visible: true }).first().waitFor()
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const closeByEscape = async (role: 'dialog' | 'menu') => {
  await page.keyboard.press('Escape')
  await page.getByRole(role).waitFor({ state: 'detached' })
}

test('what a visitor sees', async () => {
  await page.goto('/login')
  await see('Stay logged in on this browser')
  await expect.poll(readTitle).toBe('Sign in | Petrel')
  await look('the QR code')
  await button('Log in with phone number').click()
  await page.getByLabel('Phone number or Username').fill(ann.username)
  await page.getByLabel('Password', { exact: true }).fill('no-idea')
  await button('Sign in').click()
  await see('Wrong username or password')
  await look('the form, with an error')
  await page.goto('/register')
  await see('Create your account')
  await expect.poll(readTitle).toBe('Create account | Petrel')
  await look('the registration')
  await page.goto('/login')
  await signIn({ ...ann, page, password: cast.ann.password })
})

test('the list', async () => {
  const box = page.getByRole('searchbox', { name: 'Search or start a new chat' })
  await chatRow(page, 'carl').waitFor()
  await look('the list and the empty pane')
  await chatRow(page, 'carl').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mark as Read' }).waitFor()
  await look('the menu of a row', { isMenu: true })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await see('Are you sure you want to delete this conversation?')
  await look('the question before a chat is deleted')
  await closeByEscape('dialog')
  await button('New chat').first().click()
  await page.getByRole('dialog').getByRole('link').first().waitFor()
  await look('a new chat')
  await button('Search by Phone Number').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Search' }).click()
  await see('Please enter a phone number')
  await look('the search by phone number')
  await closeByEscape('dialog')
  await button('Menu').click()
  await page.getByRole('menuitem', { name: 'Calls' }).waitFor()
  await look('the menu of the rail', { widths: [1280, 900], isMenu: true })
  await closeByEscape('menu')
  await button('Groups').click()
  await see('No groups')
  await look('no groups')
  await box.fill('lamp')
  await page.getByRole('region', { name: 'Messages' }).getByRole('link').waitFor()
  await look('found messages')
  await box.fill('Wilhelmina')
  await page.getByRole('region', { name: 'Chats' }).getByRole('link').first().waitFor()
  await look('found chats')
  await box.fill('nothing like it')
  await see('No results found')
  await look('nothing found')
  await page.setViewportSize({ width: 390, height: 844 })
  await button('Open menu').click()
  await see('Archived chats')
  await look('the drawer', { widths: [390] })
})

test.each([
  ['/chat/archived', 'No archived chats', 'Archived Chats | Petrel'],
  ['/chat/starred', 'come at noon', 'Starred Messages | Petrel'],
  ['/chat/search', 'carl', 'Search | Petrel'],
  ['/chat/status', 'Status updates from your contacts will appear here.', 'Status | Petrel'],
  ['/chat/calls', 'Your recent calls will appear here.', 'Calls | Petrel'],
  ['/chat/group/7', 'message 40 of 40', 'Petrel'],
  ['/chat/01900000-0000-7000-8000-000000000000', 'Failed to load chat', 'Petrel'],
  ['/profile', 'Danger Zone', 'Profile | Petrel'],
  ['/settings', 'Storage and Data', 'Settings | Petrel'],
  ['/settings/account', 'ann@example.org', 'Account | Petrel'],
  ['/settings/privacy', 'Read receipts', 'Privacy | Petrel'],
  ['/settings/security', 'This device ·', 'Security | Petrel'],
  ['/settings/storage', 'Used on this device', 'Storage and Data | Petrel'],
  ['/settings/help', 'Keyboard shortcuts', 'Help | Petrel'],
  ['/settings/about', 'Version 1.0.0', 'About | Petrel'],
  ['/link', 'Signed-in devices', 'Linked devices | Petrel'],
  ['/outbox', 'Everything was sent', 'Outbox | Petrel'],
  [`/link#${'A'.repeat(22)}`, "This code isn't valid any more", 'Linked devices | Petrel'],
  ['/chat/new?to=nobody', 'Nobody has this invite link', 'New chat | Petrel'],
  ['/no-such-page', 'Page Not Found', 'Page Not Found | Petrel'],
])('%s', async (path, words, title) => {
  await page.goto(path)
  await see(words)
  await expect.poll(readTitle).toBe(title)
  await look(path)
})

test("one's own profile beside the chats, and what the account asks", async () => {
  await page.goto('/chat')
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await button('Edit profile').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ann Petersen')
  await see('keeps working until someone else registers it')
  await look('the profile panel while it is edited')
  await page.goto('/settings/account')
  for (const [name, words] of [
    ['Change email', 'New email'],
    ['Change password', 'Repeat new password'],
    ['Export your data', "Download files that aren't on this device"],
    ['Import your data', 'This works offline too'],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await see(words)
    await look(name)
    await closeByEscape('dialog')
  }
})

test('questions that cannot be taken back', async () => {
  await page.goto('/profile')
  await button('Edit profile').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('x')
  await button('Save').click()
  await see('Name must be at least 2 characters')
  await look('the profile while it is edited')
  await button('Cancel').click()
  await button('Delete Account').click()
  await see('Are you sure you want to delete your account?')
  await look('the question before an account is deleted')
  await closeByEscape('dialog')
  await button('Logout').click()
  await see('Log out?')
  await look('the question before logging out')
  await closeByEscape('dialog')
})

test('a conversation', async () => {
  await page.goto(`/chat/${cast.ben.userId}`)
  await ownWords(page, 'the boat is ready').waitFor()
  await look('the conversation')
  await chooseOn(page, 'the lamp is lit', 'Reply')
  await see('Replying to ben')
  await composer(page).fill('half an answer')
  await look('a reply')
  await button('Cancel reply').click()
  await chooseOn(page, 'come at noon', 'Edit')
  await see('Edit message')
  await look('an edit')
  await page.keyboard.press('Escape')
  await showBeside(ownWords(page, 'come at noon'), 'Forward')
  await look('what stands beside a bubble', { widths: [1280], isMenu: true })
  await ownWords(page, 'come at noon').click({ button: 'right' })
  await page.getByRole('menu', { name: 'Message actions' }).waitFor()
  await look('the menu of a message', { isMenu: true })
  await closeByEscape('menu')
  await chooseOn(page, 'come at noon', 'Info')
  await page.getByRole('dialog').getByText('Written').waitFor()
  await look('the information of a message')
  await closeByEscape('dialog')
  await chooseOn(page, 'come at noon', 'Forward')
  await forwardDialog(page).getByRole('checkbox', { name: 'carl' }).check()
  await look('forwarding')
  await closeByEscape('dialog')
  await select(page, 'come at noon', 'the boat is ready')
  await look('the selection')
  await selectionBar(page).getByRole('button', { name: 'Delete' }).click()
  await see('Delete 2 messages?')
  await look('the question before messages are deleted')
  await page.keyboard.press('Escape')
  await button('Cancel selection').click()
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Search in this chat' }).fill('the')
  await see('1 of 2')
  await look('the search in a chat')
  await button('Close search').click()
  await button('More').click()
  await page.getByRole('menuitem', { name: 'Mute' }).waitFor()
  await look('the menu of a chat', { isMenu: true })
  await page.getByRole('menuitem', { name: 'Go to date' }).click()
  await page.getByRole('dialog', { name: 'Go to date' }).waitFor()
  await look('the question for a date')
  await closeByEscape('dialog')
})

test('the contact panel', async () => {
  await button('Contact info: ben').click()
  await see('At sea')
  await button(/^Starred messages/).click()
  await look('the contact panel')
  await button('Mute').click()
  await page.getByRole('menuitem', { name: '8 hours' }).waitFor()
  await look('for how long a chat is muted', { isMenu: true })
  await closeByEscape('menu')
  await button('Report ben').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click()
  await see('Reason must be at least 5 characters long')
  await look('a report without a reason')
  await closeByEscape('dialog')
  await button('Block ben').click()
  await see(/^Messages from ben won't reach you/)
  await look('the question before somebody is blocked')
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
  await see('You blocked ben. Unblock to send messages.')
  await look('somebody who is blocked')
  await button('Unblock').click()
  await composer(page).waitFor()
  await button('Close contact info').click()
})

test('messages that the server did not take', async () => {
  await damagePushes(page, (document) => Object.assign(document, { status: 'read' }))
  await say(page, 'the tide is low')
  await ownWords(page, 'the tide is low').getByRole('button', { name: 'Retry' }).waitFor()
  await damagePushes(page, (document) =>
    Object.assign(document, { senderId: document.recipientId }),
  )
  await chooseOn(page, 'the boat is ready', 'Edit')
  await composer(page).fill('the boat is away')
  await button('Save').click()
  await button('Edit again').waitFor()
  await look('what failed and what was refused')
  await page.goto('/outbox')
  await see('Send all again')
  await look('the outbox')
  await damagePushes(page)
})

test('other conversations', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').click()
  await see('Unread messages')
  await button(/^Go to the newest message/).waitFor()
  await look('the line before unread messages')
  await page.goto(`/chat/${cast.dora.userId}`)
  await see('Start the conversation with dora!')
  await look('a chat without messages')
  await page.goto(`/chat/${cast.wilhelmina.userId}`)
  await page.getByRole('article').first().waitFor()
  await look('a long name and a long word')
  await page.getByRole('article').first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Reply' }).click()
  await see(/^Replying to/)
  await composer(page).fill('half an answer')
  await look('a reply to a long word')
  await button('Cancel reply').click()
  await button(/^Contact info: Wilh/).click()
  await button(/^Report Wilh/).click()
  await page.getByRole('dialog').waitFor()
  await look('the report of a long name')
  await closeByEscape('dialog')
  await button('Close contact info').click()
})

test('the other empty lists', async () => {
  await page.goto('/chat')
  await button('Unread').click()
  await see('No unread chats')
  await look('nothing unread')
  await cast.ann.api.conversations.setPinned(cast.ben.userId, false)
  await cast.ann.api.conversations.setArchived(cast.ben.userId, true)
  await button('Favourites').click()
  await see('No favourite chats')
  await look('no favourites')
  await page.goto('/chat/archived')
  await chatRow(page, 'ben').waitFor()
  await look('the archived chats')
})

test('the screen of a first visit', async () => {
  // It moves every 300 ms, and there are no events now.
  await page.addInitScript(() => {
    const begin = globalThis.setInterval
    const beginOther = (run: () => void, ms?: number) => (ms === 300 ? 0 : begin(run, ms))
    Object.assign(globalThis, { setInterval: beginOther })
  })
  const key = `first-load-done ${cast.ann.userId}`
  await page.evaluate((key) => localStorage.removeItem(key), key)
  await page.goto('/chat')
  await see(/^Loading your chats/)
  await look('the first visit')
})

/** Without the unread count. */
async function readTitle(): Promise<string> {
  return (await page.title()).replace(/^\(\d+\) /, '')
}
