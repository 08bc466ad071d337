import { test } from 'vitest'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('people on screen show as online even when the server limits presence', async () => {
  const { lab, ann, ben } = await openTestLab({ usersOnlineMax: 0 })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const { presence, watchPerson } = phone.messenger
  const isBenOnline = () => presence.getSnapshot().isOnline(ben.userId)
  await lab.settle()
  const end = watchPerson(ben.userId)
  await waitUntil('Ann sees Ben', isBenOnline)
  await tablet.close()
  await waitUntil('Ann sees that Ben has gone', () => !isBenOnline())
  end()
})

test('where WebSockets are blocked, too', async () => {
  const { ann, ben } = await openTestLab({ usersOnlineMax: 0 })
  const [phone] = [await ann.device(), await ben.device()]
  phone.network.blockSockets()
  const { presence, watchPerson, connection } = phone.messenger
  watchPerson(ben.userId)
  await waitUntil('Ann sees Ben', () => presence.getSnapshot().isOnline(ben.userId))
  await waitUntil('Ann is live', () => connection.getSnapshot().state === 'live')
})

test('with few people online no one has to be watched', async () => {
  const { ann, ben } = await openTestLab()
  const [phone] = [await ann.device(), await ben.device()]
  const { presence } = phone.messenger
  await waitUntil('Ann sees Ben', () => presence.getSnapshot().isOnline(ben.userId))
})
