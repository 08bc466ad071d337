import { afterAll, expect, it } from 'vitest'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp } from '../testing/start-test-app.ts'

const broken = { isOn: false }
const app = await startTestApp(
  {},
  {
    onStage() {
      if (broken.isOn) throw new Error('a broken disk')
    },
  },
)
afterAll(() => app.close())

it('P6: a message by the socket that cannot be stored is told to its author', async () => {
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const socket = await openTestSocket({ url: app.url, token: ann.token })
  const _id = '01890000-0000-7000-8000-0000000000ac'
  broken.isOn = true
  socket.say('send-message', { recipientId: ben.userId, message: { _id, content: 'hello' } })
  await expect
    .poll(() => socket.last('message-refused'), { timeout: 15_000 })
    .toMatchObject({
      messageId: _id,
      code: 'internal_error',
      error: expect.stringContaining('try again'),
    })
  broken.isOn = false
  socket.socket.close()
  await socket.closed
})
