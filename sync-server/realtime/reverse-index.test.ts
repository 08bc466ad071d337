import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createReverseIndex } from './presence-views.ts'

const owner = fc.constantFrom('ann', 'ben', 'cyd')
const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
const step = fc.oneof(
  fc.record({ owner, ids }),
  owner.map((owner) => ({ owner, ids: undefined })),
)

it('tells the owners of an id as the owners’ ids say, and keeps nothing of what is gone', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const index = createReverseIndex<string>()
      const model = new Map<string, string[]>()
      for (const { owner, ids } of steps) {
        const before = model.get(owner) ?? []
        if (ids === undefined) {
          index.remove(owner)
          model.delete(owner)
        } else {
          const fresh = index.set(owner, new Set(ids))
          expect(fresh).toEqual(ids.filter((id) => !before.includes(id)))
          model.set(owner, ids)
        }
      }
      for (const id of ['a', 'b', 'c', 'd']) {
        const owners = [...model].flatMap(([one, own]) => (own.includes(id) ? [one] : []))
        expect([...index.ownersOf(id)].sort()).toEqual(owners.sort())
      }
      expect(index.countIds()).toBe(new Set([...model.values()].flat()).size)
    }),
  )
})
