import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createRecentKeys } from './key-reads.ts'

const put = (key: string, value: string) => ({ type: 'put', key, value }) as const
const unread = () => Promise.reject(new Error('this is remembered'))

function openView() {
  return createRecentKeys({ isRemembered: (key) => key.startsWith('doc') }).openView()
}

test('reads once what is there, and what is missing', async () => {
  const view = openView()
  expect(await view.read('doc a', async () => 'one')).toBe('one')
  expect(await view.read('doc a', unread)).toBe('one')
  expect(await view.read('doc b', async () => undefined)).toBe(undefined)
  expect(await view.read('doc b', unread)).toBe(undefined)
  expect(await view.read('place', async () => '1')).toBe('1')
  expect(await view.read('place', async () => '2')).toBe('2')
})

test('knows what is written, and what is removed', async () => {
  const view = openView()
  await view.write([put('doc a', 'one'), put('doc b', 'two')], async () => undefined)
  await view.write([{ type: 'del', key: 'doc b' }, put('doc c', 'three')], async () => undefined)
  expect(await view.read('doc a', unread)).toBe('one')
  expect(await view.read('doc b', async () => undefined)).toBe(undefined)
  expect(await view.read('doc c', unread)).toBe('three')
})

test('remembers nothing of a write that failed', async () => {
  const view = openView()
  const failing = view.write([put('doc a', 'one')], () => Promise.reject(new Error('full')))
  await expect(failing).rejects.toThrow('full')
  expect(await view.read('doc a', async () => undefined)).toBe(undefined)
})

test.each(['before', 'during'])(
  'a slow read from %s a write does not replace it',
  async (begun) => {
    const view = openView()
    const [found, stored] = [createDeferred<string>(), createDeferred()]
    const read = () => view.read('doc a', () => found.promise)
    const earlier = begun === 'before' ? read() : undefined
    const writing = view.write([put('doc a', 'new')], () => stored.promise)
    const reading = earlier ?? read()
    if (begun === 'during') found.resolve('old')
    if (begun === 'during') expect(await reading).toBe('old')
    stored.resolve()
    await writing
    found.resolve('old')
    expect(await reading).toBe('old')
    expect(await view.read('doc a', unread)).toBe('new')
  },
)

test('a view knows nothing of the one before it', async () => {
  const keys = createRecentKeys({ isRemembered: () => true })
  await keys.openView().write([put('a', 'one')], async () => undefined)
  expect(await keys.openView().read('a', async () => 'another')).toBe('another')
})
