import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { startLosingProxy } from '../../../sync-server/testing/couch/start-losing-proxy.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const running = {} as {
  couch: Awaited<ReturnType<typeof startCouch>>
  proxy: Awaited<ReturnType<typeof startLosingProxy>>
}
beforeAll(async () => {
  running.couch = await startCouch()
  running.proxy = await startLosingProxy(running.couch.url)
})
afterAll(async () => {
  await running.proxy.close()
  await running.couch.close()
})

/** A lab on a CouchDB server, where one person's databases can fail. */
async function openCouchLab() {
  const { couch, proxy } = running
  const databases: string[] = await (await fetch(`${couch.url}_all_dbs`)).json()
  const old = databases.filter((name) => !name.startsWith('_'))
  await Promise.all(old.map((name) => fetch(couch.url + name, { method: 'DELETE' })))
  const settings = { COUCHDB_URL: proxy.url, JWT_SECRET: 'a secret that only the lab knows' }
  return await openTestLab({ settings })
}

const breakDatabases = (userId: string) => running.proxy.breakPath(new RegExp(userId))

test('P3 P6: a deletion that cannot reach its reader holds up nothing else, and reaches them later', async () => {
  const { lab, ann, ben } = await openCouchLab()
  const cyd = await lab.person('cyd')
  const [phone, tablet, laptop] = [await ann.device(), await ben.device(), await cyd.device()]
  const id = await phone.say(ben, 'taken back')
  await lab.settle()
  const mend = breakDatabases(ben.userId)
  await phone.messenger.commands.deleteMessage(id)
  await phone.say(cyd, 'to Cyd')
  const readCyd = async () => (await laptop.read(ann)).map(({ content }) => content)
  await expect.poll(readCyd).toEqual(['to Cyd'])
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
  expect((await ann.server.messages()).get(id)?.deletedAt).toBeDefined()
  expect((await tablet.stored()).messages.get(id)).toMatchObject({ content: 'taken back' })

  mend()
  await lab.server.kill()
  await lab.server.start()
  await expect
    .poll(async () => (await tablet.stored()).messages.get(id))
    .toMatchObject({ content: '', deletedAt: expect.any(Number) })
  await lab.settle()
  await lab.expectConverged()
})

test('P6: a receipt whose author cannot be reached holds up no other, and reaches them later', async () => {
  const { lab, ann, ben } = await openCouchLab()
  const cyd = await lab.person('cyd')
  const [phone, tablet, laptop] = [await ann.device(), await ben.device(), await cyd.device()]
  await phone.say(ben, 'from Ann')
  await laptop.say(ben, 'from Cyd')
  await lab.settle()
  const mend = breakDatabases(ann.userId)
  await tablet.messenger.commands.markRead(ann.userId)
  await tablet.messenger.commands.markRead(cyd.userId)
  const statusAtCyd = async () => (await laptop.read(ben))[0]?.status
  await expect.poll(statusAtCyd).toBe('read')
  await expect.poll(() => tablet.messenger.countUnsent()).toBe(0)

  mend()
  await lab.server.kill()
  await lab.server.start()
  const statusAtAnn = async () => (await phone.read(ben))[0]?.status
  await expect.poll(statusAtAnn).toBe('read')
  await lab.settle()
  await lab.expectConverged()
})
