import { afterAll, expect, test } from 'vitest'
import {
  attach,
  channelBar,
  dialog,
  linkAccount,
  startChatByNumber,
} from '../lab/browser/channel-steps.ts'
import { chatRow, composer, readTicks, say } from '../lab/browser/chat-steps.ts'
import { hasFocus, ownWords } from '../lab/browser/message-steps.ts'
import { startOperator } from '../lab/browser/start-operator.ts'
import { registerAccount } from '../lab/server/server-accounts.ts'

/** A customer who reads everything immediately. */
const reader = '+15555550100'
/** A customer who presses the first button and chooses the first row. */
const presser = '+15555550146'

const operator = await startOperator()
const { emulator } = operator
const { page } = operator.ann
afterAll(() => operator.close())

/** The text of `message_from_us`, which carries any words. */
const carrier = 'We have a message for you: {{1}} Reply here to talk with us.'
const order = 'Thank you! Your order A-17 is confirmed, the total is $10.00 with tax.'

test('a business account is linked, and every screen calls the emulator a sandbox', async () => {
  await page.goto('/chat')
  await linkAccount(page)
  await expect.poll(() => page.getByRole('button', { name: 'Menu' }).evaluate(isActive)).toBe(true)
  await page.goto('/profile')
  await page.getByText('Connected · +15550783881').waitFor()
  await page.getByText('Sandbox.').waitFor()
  await page.getByRole('button', { name: 'Manage' }).click()
  const integration = dialog(page, 'WhatsApp Integration')
  await integration.getByText('Sandbox.').waitFor()
  await integration.getByText('Use templates').waitFor()
  await page.keyboard.press('Escape')
})

test('a chat starts from a number, and allows only templates', async () => {
  await page.goto('/chat')
  await startChatByNumber(page, reader)
  const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 2 }) })
  await header.getByText('WhatsApp', { exact: true }).waitFor()
  await header.getByText(reader).first().waitFor()
  await channelBar(page).getByText("They haven't written to you yet.").waitFor()
  await channelBar(page).getByText('Sandbox').waitFor()
  await channelBar(page).getByRole('button', { name: 'Send a template' }).click()
  const templates = dialog(page, 'WhatsApp Message Templates')
  // The account's templates, which the server requested.
  await templates.getByRole('heading', { name: 'delivery_update' }).waitFor()
  expect(await templates.getByRole('heading', { name: 'spring_sale' }).count()).toBe(0)
  await templates.getByRole('button', { name: 'Fill in order_confirmation' }).click()
  await expect.poll(() => hasFocus(templates.getByLabel('Order number'))).toBe(true)
  await templates.getByRole('button', { name: 'Send' }).click()
  await templates.getByRole('alert').waitFor()
  await templates.getByLabel('Order number').fill('A-17')
  await templates.getByLabel('Total amount').fill('$10.00')
  await templates.getByText(order).waitFor()
  await templates.getByRole('button', { name: 'Send' }).click()
  const sent = ownWords(page, order)
  await sent.getByText('Template: order_confirmation').waitFor()
  await sent.getByText('Order Confirmation').waitFor()
  await sent.getByText('Thank you for your business!').waitFor()
  await expect.poll(() => readTicks(page, order)).toBe('Read')
})

test('after the customer’s answer the operator can write freely for 24 hours', async () => {
  emulator.inbound({ from: reader, name: 'Sheena Nelson', content: 'Where is it?' })
  await ownWords(page, 'Where is it?').getByRole('img', { name: 'WhatsApp' }).waitFor()
  await channelBar(page)
    .getByText(/^You can reply freely for (24 h|23 h 59 min)\.$/)
    .waitFor()
  await say(page, 'On its way')
  await expect.poll(() => readTicks(page, 'On its way')).toBe('Read')
  await page.locator('header').getByRole('heading', { level: 2, name: 'Sheena' }).waitFor()
})

test('shows places and contacts, with links', async () => {
  const name = { formatted_name: 'Dora Keel', first_name: 'Dora' }
  emulator.inbound({
    from: reader,
    type: 'location',
    content: { latitude: 37.48, longitude: -122.15, name: 'Harbour' },
  })
  emulator.inbound({
    from: reader,
    type: 'contacts',
    content: [{ name, phones: [{ phone: '+1 650 555 1234', type: 'WORK' }] }],
  })
  const map = page.getByRole('link', { name: 'Open in a map' })
  await expect.poll(() => map.getAttribute('href')).toContain('mlat=37.48&mlon=-122.15')
  const call = page.getByRole('link', { name: '+1 650 555 1234' })
  await expect.poll(() => call.getAttribute('href')).toBe('tel:+16505551234')
})

test('a reaction comes and goes, and a photo has a description', async () => {
  await ownWords(page, 'On its way').waitFor()
  const sent = emulator.outbox().find((one) => JSON.stringify(one).includes('"On its way"'))
  const react = (emoji: string) =>
    emulator.inbound({
      from: reader,
      type: 'reaction',
      content: { message_id: sent?.wamid, emoji },
    })
  const reaction = page.getByRole('button', { name: /^👍 Sheena/, disabled: true })
  react('👍')
  await reaction.waitFor()
  react('')
  await reaction.waitFor({ state: 'detached' })
  emulator.inbound({ from: reader, type: 'image', file: { sample: 'image' } })
  const photo = page.getByRole('article', { name: /^Sheena Nelson, .*: Image$/ })
  await photo.getByRole('img', { name: 'WhatsApp' }).waitFor()
  await photo.getByText('The file is on its way.').waitFor({ state: 'detached' })
})

test('the operator sends buttons, and the customer presses one', async () => {
  emulator.inbound({ from: presser, name: 'Peter Press', content: 'Hello' })
  await page.goto('/chat')
  await chatRow(page, 'Peter Press').click()
  await channelBar(page).waitFor()
  await attach(page, 'Buttons')
  const buttons = dialog(page, 'Message with buttons')
  await buttons.getByRole('button', { name: 'Send' }).click()
  await buttons.getByRole('alert').waitFor()
  await buttons.getByLabel('Text').fill('Tea or coffee?')
  await buttons.getByLabel('Button 1').fill('Tea')
  await buttons.getByLabel('Button 2').fill('Coffee')
  await buttons.getByLabel('Header').fill('Your order')
  await buttons.getByLabel('Footer').fill('Until noon')
  await buttons.getByRole('button', { name: 'Send' }).click()
  const sent = ownWords(page, 'Tea or coffee?')
  await sent.getByText('Your order', { exact: true }).waitFor()
  await sent.getByText('Until noon', { exact: true }).waitFor()
  await sent.getByText('Interactive Message').waitFor()
  const titles = sent.getByRole('list', { name: 'Buttons' }).getByRole('listitem')
  await expect.poll(() => titles.allTextContents()).toEqual(['Tea', 'Coffee'])
  const pressed = page.getByRole('article', { name: /^Peter Press, .*: Tea$/ })
  await pressed.getByText('Interactive Message').waitFor()
})

test('the operator sends a list, and the customer chooses a row', async () => {
  await attach(page, 'List')
  const list = dialog(page, 'Message with a list')
  await list.getByLabel('Text').fill('How fast?')
  await list.getByLabel('Button that opens the list').fill('Options')
  await list.getByLabel('Choice 1').fill('Express')
  await list.getByLabel('Description').first().fill('Next day')
  await list.getByLabel('Choice 2').fill('Post')
  await list.getByRole('button', { name: 'Send' }).click()
  const sent = ownWords(page, 'How fast?')
  await sent.getByText('Options').click()
  await sent.getByText('Next day').waitFor()
  const chosen = page.getByRole('article', { name: /^Peter Press, .*: Express$/ })
  await chosen.getByText('Next day').waitFor()
})

test('stores a quick reply, and inserts it at the cursor', async () => {
  await attach(page, 'Quick replies')
  const replies = dialog(page, 'Quick replies')
  await replies.getByLabel('New quick reply').fill('We are open till six.')
  const stored = page.waitForResponse(
    (answer) => answer.request().method() === 'PUT' && answer.url().endsWith('/api/users/settings'),
  )
  await replies.getByRole('button', { name: 'Add', exact: true }).click()
  // The dialog shows it before the device has it, and reads what is stored only when it opens.
  await stored
  await replies.getByRole('button', { name: 'Close' }).click()
  await composer(page).fill('Yes.')
  await attach(page, 'Quick replies')
  await replies.getByRole('button', { name: 'We are open till six.', exact: true }).click()
  await expect.poll(() => composer(page).inputValue()).toBe('Yes. We are open till six.')
  await expect.poll(() => hasFocus(composer(page))).toBe(true)
  await composer(page).press('Control+z')
  await expect.poll(() => composer(page).inputValue()).toBe('Yes.')
  await composer(page).press('Control+Shift+z')
  await expect.poll(() => composer(page).inputValue()).toBe('Yes. We are open till six.')
  await composer(page).press('Enter')
  await ownWords(page, 'Yes. We are open till six.').waitFor()
})

test("a label, and the word 'WhatsApp', find a customer", async () => {
  await channelBar(page).getByRole('button', { name: 'Add a label' }).click()
  const labels = dialog(page, 'Labels')
  await labels.getByLabel('Paid', { exact: true }).check()
  await labels.getByLabel('New label').fill('Regular')
  await labels.getByRole('button', { name: 'Add', exact: true }).click()
  await labels.getByRole('checkbox', { name: 'Regular' }).waitFor()
  await labels.getByRole('button', { name: 'Close' }).click()
  await channelBar(page).getByRole('button', { name: 'Labels: Paid, Regular' }).waitFor()
  await page.goto('/chat')
  const box = page.getByRole('searchbox', { name: 'Search or start a new chat' })
  const chats = page.getByRole('region', { name: 'Chats', exact: true }).getByRole('listitem')
  await box.fill('regul')
  await expect.poll(() => chats.allTextContents()).toEqual([expect.stringContaining('Peter Press')])
  await box.fill('whatsapp')
  await expect.poll(() => chats.count()).toBe(2)
})

test('a person with an account but no number gets the message at the entered number', async () => {
  const ben = await registerAccount(operator.server.origin, 'ben')
  await page.goto(`/chat/${ben.userId}`)
  await attach(page, 'Templates')
  const templates = dialog(page, 'WhatsApp Message Templates')
  await templates.getByRole('button', { name: 'Send hello_world' }).first().click()
  const asked = dialog(page, 'Enter WhatsApp Phone Number')
  await asked.getByText('Sandbox.').waitFor()
  await asked.getByLabel('Phone Number (with country code)').fill('+123')
  await asked.getByRole('button', { name: 'Start Chat' }).click()
  await asked.getByText('Invalid phone number format.').waitFor()
  await asked.getByLabel('Phone Number (with country code)').fill('+1 555 555 0101')
  await asked.getByRole('button', { name: 'Start Chat' }).click()
  await page.getByRole('heading', { level: 2, name: '+15555550101' }).waitFor()
  await expect.poll(() => readTicks(page, 'Hello World!')).toBe('Delivered')
  await page.goto(`/chat/${ben.userId}`)
  await attach(page, 'Phone Number')
  await asked.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Attach' }))).toBe(true)
  await attach(page, 'Phone Number')
  await asked.getByLabel('Phone Number (with country code)').fill('+1 555 555 0102')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 2, name: '+15555550102' }).waitFor()
})

test('a customer who hides their number still gets messages', async () => {
  emulator.inbound({ from: '+15555550150', name: 'Hidden Hana', content: 'Hi' })
  await page.goto('/chat')
  await chatRow(page, 'Hidden Hana').click()
  await channelBar(page).getByText('You can reply freely').waitFor()
  await say(page, 'Hello Hana')
  await expect.poll(() => readTicks(page, 'Hello Hana')).toBe('Read')
  const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 2 }) })
  await header.getByText('WhatsApp', { exact: true }).waitFor()
  expect(await header.textContent()).not.toContain('+')
})

test('an undeliverable message says so in words', async () => {
  emulator.inbound({ from: '+15555550110', name: 'Una', content: 'Hello' })
  await page.goto('/chat')
  await chatRow(page, 'Una').click()
  await say(page, 'Can you read me?')
  const failed = ownWords(page, 'Can you read me?')
  await failed.getByText('This number cannot receive WhatsApp messages').waitFor()
  expect(await failed.getByRole('button', { name: 'Send as a template' }).count()).toBe(0)
})

test('P6: offers the words of a message written offline and too late in a template', async () => {
  const dayMs = 24 * 60 * 60_000
  const leftMs = 20_000
  const write = (content: string, agoMs: number) =>
    emulator.inbound({
      ...{ from: '+15555550101', name: 'Late Larry', content },
      timestamp: Math.floor((Date.now() - agoMs) / 1_000),
    })
  // His chat is open before his time begins to run out.
  write('Is it on its way?', dayMs + 60_000)
  await page.goto('/chat')
  await chatRow(page, 'Late Larry').click()
  await channelBar(page).getByText('Only templates can be sent').waitFor()
  write('Is it there?', dayMs - leftMs)
  await channelBar(page).getByText('You can reply freely').waitFor()
  await operator.ann.goOffline()
  await say(page, 'It has just arrived')
  await channelBar(page).getByText('Only templates can be sent').waitFor()
  await operator.ann.goOnline()
  const late = ownWords(page, 'It has just arrived')
  await late.getByRole('button', { name: 'Send as a template' }).click()
  const templates = dialog(page, 'WhatsApp Message Templates')
  await templates.getByRole('heading', { name: 'message_from_us' }).waitFor()
  const names = await templates.getByRole('heading', { level: 3 }).allTextContents()
  // Templates that carry only these words come first.
  expect(names.indexOf('message_from_us')).toBeLessThan(names.indexOf('hello_world'))
  await templates.getByRole('button', { name: 'Fill in message_from_us' }).click()
  const carried = carrier.replace('{{1}}', 'It has just arrived')
  await templates.getByText(carried).waitFor()
  await templates.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => readTicks(page, carried)).toBe('Delivered')
  await page.getByRole('button', { name: 'Send as a template' }).waitFor({ state: 'detached' })
})

test('after unlinking the channel’s actions are gone, and the messages stay', async () => {
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Manage' }).click()
  const integration = dialog(page, 'WhatsApp Integration')
  await integration.getByRole('button', { name: 'Unlink Account' }).click()
  await integration.getByLabel('WhatsApp ID').waitFor()
  await integration.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Not connected').waitFor()
  await page.goto('/chat')
  await chatRow(page, 'Peter Press').click()
  await ownWords(page, 'Tea or coffee?').waitFor()
  await channelBar(page).getByText("WhatsApp isn't linked.").waitFor()
  await page.getByRole('button', { name: 'Attach' }).click()
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['Document', 'Photos & Videos', 'Camera'])
})

function isActive(element: Element): boolean {
  return element === document.activeElement
}
