import { grow, nameByChance, nameRev } from '../documents/grow-branch.ts'
import type { WritePlan } from '../documents/plan-writes.ts'
import type { PouchWrite } from '../documents/pouch.ts'

/**
 * A database's writes as one PouchDB call with revisions named here: PouchDB names an edit by its
 * content, which a client could predict and push elsewhere in the tree first.
 * @returns `revs`: those of the plan and of the edits named here
 */
export function toBatch({ edits, replicated, revs }: WritePlan) {
  const named = edits.map(nameEdit)
  const known = new Map([...revs, ...named.map(({ _id, _rev }) => [_id, _rev] as const)])
  return { docs: [...replicated, ...named], revs: known }
}

function nameEdit(edit: PouchWrite): PouchWrite & { _rev: string } {
  const { _rev: parent, ...body } = edit
  const [start, hash] = parent?.split('-') ?? []
  const before = { start: Number(start ?? 0), ids: hash === undefined ? [] : [hash] }
  const revisions = grow(before, '', nameByChance)
  return { ...body, _rev: nameRev(revisions), _revisions: revisions }
}
