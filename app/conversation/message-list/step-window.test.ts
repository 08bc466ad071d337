import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ShownWindow, stepWindow } from './step-window.ts'

type Item = { _id: string }
const history: Item[] = Array.from({ length: 40 }, (_, index) => ({ _id: String(index) }))
const shownAt = (from: number, to: number): ShownWindow<Item> => {
  const items = history.slice(from, to)
  return { items, goal: items, isShift: false, generation: 0 }
}
const ids = (items: readonly Item[]) => items.map((item) => Number(item._id))

test('an older page keeps the position from the end', () => {
  const step = stepWindow(shownAt(10, 20), history.slice(5, 20))
  expect(step).toMatchObject({ isShift: true, generation: 0 })
  expect(step.items).toEqual(step.goal)
})

test('a new message is no shift', () => {
  expect(stepWindow(shownAt(10, 20), history.slice(10, 21))).toMatchObject({ isShift: false })
})

test('an older page that evicts newer messages takes two steps', () => {
  const first = stepWindow(shownAt(10, 20), history.slice(5, 15))
  expect(first.isShift).toBe(true)
  expect(ids(first.items)).toEqual(ids(history.slice(5, 20)))
  const second = stepWindow(first, first.goal)
  expect(second.isShift).toBe(false)
  expect(ids(second.items)).toEqual(ids(history.slice(5, 15)))
})

test('another place starts a new generation', () => {
  expect(stepWindow(shownAt(30, 40), history.slice(0, 10))).toMatchObject({ generation: 1 })
})

test('no step changes both ends of the rest, and two steps reach the goal', () => {
  const range = fc
    .tuple(fc.nat(39), fc.nat(39))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1])
  fc.assert(
    fc.property(range, range, ([from = 0, to = 0], [goalFrom = 0, goalTo = 0]) => {
      const shown = shownAt(from, to)
      const first = stepWindow(shown, history.slice(goalFrom, goalTo))
      const second = stepWindow(first, first.goal)
      expect(ids(second.items)).toEqual(ids(history.slice(goalFrom, goalTo)))
      if (first.generation > 0) return
      if (first.isShift) expect(first.items.at(-1)).toEqual(shown.items.at(-1))
      else expect(first.items[0]).toEqual(shown.items[0])
    }),
  )
})
