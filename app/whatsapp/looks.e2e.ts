import { afterAll, expect, test } from 'vitest'
import {
  attach,
  channelBar,
  dialog,
  linkAccount,
  readHint,
  startChatByNumber,
} from '../lab/browser/channel-steps.ts'
import { chatRow, readTicks, say } from '../lab/browser/chat-steps.ts'
import { createLook } from '../lab/browser/looks/look.ts'
import { ownWords } from '../lab/browser/message-steps.ts'
import { startOperator } from '../lab/browser/start-operator.ts'

const operator = await startOperator()
const { emulator } = operator
const { page } = operator.ann
const look = await createLook(page)
afterAll(() => operator.close())

const closeByEscape = async () => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('the link form, and the linked account', async () => {
  await page.goto('/profile')
  await page.getByText('Not connected').waitFor()
  await look('the profile without a link')
  await page.getByRole('button', { name: 'Link Account' }).click()
  const integration = dialog(page, 'WhatsApp Integration')
  await integration.getByRole('button', { name: 'Link Account' }).click()
  await integration.getByRole('alert').waitFor()
  expect(await readHint(integration.getByLabel('Phone Number ID'))).toBe(
    "Meta's id of your business number. Messages to that number come to you.",
  )
  await look('the form of the link, with an error')
  await closeByEscape()
  await page.goto('/chat')
  await linkAccount(page)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'WhatsApp Integration' }).click()
  await integration.getByText('Use templates').waitFor()
  await look('the linked account')
  await closeByEscape()
})

test('a chat that starts with a template', async () => {
  await startChatByNumber(page, '+15555550100')
  await channelBar(page).getByRole('button', { name: 'Send a template' }).waitFor()
  await look('a chat with somebody who has never written')
  await attach(page, 'Templates')
  const templates = dialog(page, 'WhatsApp Message Templates')
  await templates.getByRole('heading', { name: 'delivery_update' }).waitFor()
  await look('the templates')
  await templates.getByRole('button', { name: 'Fill in order_confirmation' }).click()
  await templates.getByRole('button', { name: 'Send' }).click()
  await templates.getByRole('alert').waitFor()
  await look('a template with gaps')
  await closeByEscape()
  await say(page, 'too early')
  await ownWords(page, 'too early').getByRole('button', { name: 'Send as a template' }).click()
  await templates.getByText('too early').waitFor()
  await look('words that came too late')
  await closeByEscape()
})

test('a conversation with every kind of message from a customer', async () => {
  const peter = { from: '+15555550146', name: 'Peter Press' }
  emulator.inbound({ ...peter, content: 'Hello' })
  emulator.inbound({
    ...peter,
    type: 'location',
    content: { latitude: 37.48, longitude: -122.15, name: 'Harbour' },
  })
  const name = { formatted_name: 'Dora Keel', first_name: 'Dora' }
  emulator.inbound({
    ...peter,
    type: 'contacts',
    content: [{ name, phones: [{ phone: '+1 650 555 1234' }], org: { company: 'Keel & Sons' } }],
  })
  await chatRow(page, 'Peter Press').click()
  await page.getByRole('link', { name: 'Open in a map' }).waitFor()
  await attach(page, 'Buttons')
  const buttons = dialog(page, 'Message with buttons')
  await buttons.getByRole('button', { name: 'Send' }).click()
  await buttons.getByRole('alert').waitFor()
  await look('buttons that are being written')
  await buttons.getByLabel('Text').fill('Tea or coffee?')
  await buttons.getByLabel('Button 1').fill('Tea')
  await buttons.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => readTicks(page, 'Tea or coffee?')).toBe('Read')
  await attach(page, 'List')
  const list = dialog(page, 'Message with a list')
  await list.getByRole('button', { name: 'Add section' }).click()
  await look('a list that is being written')
  await page.setViewportSize({ width: 390, height: 640 })
  /** How far the buttons are above the dialog's end, in px: of one moment, while the form still follows the screen. */
  const readFoot = () =>
    list.getByRole('button', { name: 'Send' }).evaluate((send) => {
      const whole = send.closest('[role="dialog"]')?.getBoundingClientRect()
      return (whole?.bottom ?? 0) - send.getBoundingClientRect().bottom
    })
  // Nothing of the form shows beneath the buttons.
  await expect
    .poll(async () => {
      const foot = await readFoot()
      return foot > 0 && foot < 32
    })
    .toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  await list.getByLabel('Header').fill('Delivery')
  await list.getByLabel('Text').fill('How fast?')
  await list.getByLabel('Footer').fill('We deliver on working days.')
  await list.getByLabel('Button that opens the list').fill('Options')
  await list.getByLabel('Title of section 1').fill('Fast')
  await list.getByLabel('Choice 1').first().fill('Express')
  await list.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => readTicks(page, 'How fast?')).toBe('Read')
  await ownWords(page, 'How fast?').getByText('Options').click()
  await channelBar(page).getByRole('button', { name: 'Add a label' }).click()
  await dialog(page, 'Labels').getByLabel('Paid', { exact: true }).check()
  await look('the labels')
  await closeByEscape()
  await look('a chat with a customer')
  await attach(page, 'Quick replies')
  await page.getByLabel('New quick reply').fill('We are open till six.')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Delete "We are open till six."' }).waitFor()
  await look('the quick replies')
  await closeByEscape()
  await page.getByRole('button', { name: 'Attach' }).click()
  await page.getByRole('menuitem', { name: 'Templates' }).waitFor()
  await look('the attach menu', { isMenu: true })
})
