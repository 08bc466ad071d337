import { afterAll, expect, it } from 'vitest'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestPerson } from '../testing/start-test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

it('each device is told once of each change of who is online', async () => {
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const cyd = await app.register('Cyd')
  const connect = ({ token }: TestPerson) => openTestSocket({ url: app.url, token })
  const hasHeardOf = async (socket: TestSocket, { userId }: TestPerson) =>
    await expect.poll(() => socket.last('users-online'), { timeout: 15_000 }).toContain(userId)

  const phone = await connect(ann)
  await hasHeardOf(phone, ann)
  const bens = await connect(ben)
  for (const socket of [phone, bens]) await hasHeardOf(socket, ben)
  const laptop = await connect(ann)
  await hasHeardOf(laptop, ben)
  const cyds = await connect(cyd)
  for (const socket of [phone, laptop, bens]) await hasHeardOf(socket, cyd)
  const counts = [phone, bens, laptop].map((socket) => socket.count('users-online'))
  expect(counts).toEqual([3, 2, 2])

  for (const { socket, closed } of [phone, laptop, bens, cyds]) {
    socket.close()
    await closed
  }
})
