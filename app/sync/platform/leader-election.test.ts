import { expect, onTestFinished, test } from 'vitest'
import { createLabLocks } from '../../lab/kit/locks.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createLeaderElection } from '../leadership.ts'
import type { Locks } from './platform.ts'

test('a page that comes to the front again and again keeps nothing of each time', async () => {
  const terms = { begun: 0, over: 0 }
  const lab = createLabLocks()
  const request = ((name: string, options: LockOptions, callback: LockGrantedCallback<unknown>) =>
    lab.request(name, options, async (lock) => {
      terms.begun += 1
      await callback(lock)
      terms.over += 1
    })) as Locks['request']
  const page = createLabPage()
  const locks = { ...lab, request }
  const leader = createLeaderElection({ locks, page, name: 'sync', begin: () => () => {} })
  onTestFinished(leader.close)
  for (let time = 0; time < 20; time += 1) {
    page.setVisible(false)
    page.setVisible(true)
  }
  await expect.poll(() => terms).toEqual({ begun: 21, over: 20 })
  expect(leader.isLeader()).toBe(true)
})
