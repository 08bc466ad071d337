import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createPushWatch } from './push-watch.ts'

test('P1: what was pushed is kept back until RxDB has noted the answer, however early that came', async () => {
  const noted = createDeferred<void>()
  const over = vi.fn()
  const pushes = createPushWatch({ untilNoted: () => noted.promise })
  pushes.onOver(over)
  expect(await pushes.watch(['a'], async () => 'taken')).toBe('taken')
  await setImmediate()
  expect(pushes.isUnderWay('a')).toBe(true)
  expect(over).not.toHaveBeenCalled()
  noted.resolve()
  await expect.poll(() => pushes.isIdle()).toBe(true)
  expect(over).toHaveBeenCalledTimes(1)
})

test('P1: what is in two pushes is kept back until both are over, also where one of them fails', async () => {
  const [first, second] = [createDeferred<void>(), createDeferred<void>()]
  const pushes = createPushWatch({ untilNoted: async () => {} })
  const failing = pushes.watch(['a'], () => first.promise)
  const going = pushes.watch(['a', 'b'], () => second.promise)
  first.reject(new Error('it broke off'))
  await expect(failing).rejects.toThrow('it broke off')
  await setImmediate()
  expect(pushes.isUnderWay('a')).toBe(true)
  second.resolve()
  await going
  await expect.poll(() => pushes.isIdle()).toBe(true)
})
