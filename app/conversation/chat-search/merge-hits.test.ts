import { expect, test } from 'vitest'
import { highlight } from '../../database/search/highlight.ts'
import { mergeHits, readServerHits, stepHit } from './merge-hits.ts'

test('merges the hits of device and server without duplicates, newest first', () => {
  const local = [
    { _id: 'c', orderedAt: 3 },
    { _id: 'a', orderedAt: 1 },
  ]
  const remote = [
    { _id: 'b', orderedAt: 2 },
    { _id: 'a', orderedAt: 9 },
  ]
  expect(mergeHits(local, remote).map(({ _id }) => _id)).toEqual(['c', 'b', 'a'])
})

test('steps wrap at both ends', () => {
  expect([stepHit(0, 1, 3), stepHit(2, 1, 3), stepHit(0, -1, 3), stepHit(0, -1, 1)]).toEqual([
    1, 0, 2, 0,
  ])
})

test.each([
  ['lantern', ['Lanterns!', 'by lantern light']],
  ['light lan', ['by lantern light']],
  ['灯笼', ['红灯笼很亮']],
  ['.*', []],
])('of what the server finds for "%s" counts what is marked', (query, counted) => {
  const texts = ['Lanterns!', 'a plantern', 'by lantern light', '红灯笼很亮', 'a .* b']
  const found = texts.map((content, at) => ({
    _id: content,
    content,
    orderedAt: new Date(at).toISOString(),
  }))
  const hits = readServerHits(found, query)
  expect(hits).toEqual(counted.map((_id) => ({ _id, orderedAt: texts.indexOf(_id) })))
  for (const { _id } of hits) expect(highlight(_id, query)).not.toEqual([])
})
