import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestSocket } from '../../testing/open-test-socket.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
})
afterAll(() => opened.chat.close())

async function connect({ token }: TestPerson, understands: readonly string[]) {
  const { url } = opened.chat.app
  const socket = await openTestSocket({ url, token, understands })
  onTestFinished(() => socket.socket.close())
  await socket.untilGreeted()
  return socket
}

it('changed settings are told to the person’s own devices that understand it, and to nobody else', async () => {
  const { chat, ann, ben } = opened
  const [phone, older] = [await connect(ann, ['settings']), await connect(ann, [])]
  const bens = await connect(ben, ['settings'])
  await chat.as(ann).put('/users/settings', { theme: 'dark' })
  await chat
    .as(ann)
    .put('/users/settings', { settings: { textSize: 2 }, settingsAt: { textSize: 7 } })
  await expect.poll(() => phone.count('settings-changed')).toBe(2)
  expect(phone.last('settings-changed')).toEqual({
    settings: { textSize: 2 },
    settingsAt: { textSize: 7 },
  })
  // What follows on each line shows that nothing came before.
  await chat.say(ben, ann, 'hello')
  await expect.poll(() => older.count('receive-message')).toBe(1)
  await chat.say(ann, ben, 'hello')
  await expect.poll(() => bens.count('receive-message')).toBe(1)
  expect([older.count('settings-changed'), bens.count('settings-changed')]).toEqual([0, 0])
})
