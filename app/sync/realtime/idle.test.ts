import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P9: devices that are connected and silent hold no database open on the server', async () => {
  const { lab, ann, ben } = await openTestLab({ idleCloseMs: 50 })
  const devices = [await ann.device(), await ann.device(), await ben.device()]
  await devices[0]?.say(ben, 'hello')
  await lab.settle()
  const { stats } = lab.server
  await expect.poll(stats).toEqual({
    openDatabases: 0,
    sockets: devices.length,
    followed: 2 * devices.length,
  })
  await devices[2]?.say(ann, 'still there?')
  await lab.settle()
  await lab.expectConverged()
})
