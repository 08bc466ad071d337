import { grow, nameRev } from '../grow-branch.ts'
import type { WritePlan } from '../plan-writes.ts'
import type { PouchWrite } from '../pouch.ts'

/**
 * All that a database is given, as one call of PouchDB. Where some of it carries its ancestry, all of it has to: an
 * edit then gets the name of its revision here.
 * @returns `revs`: those of the plan and of the edits that were named here
 */
export function toBatch({ edits, replicated, revs }: WritePlan) {
  if (replicated.length === 0) return { docs: edits, isReplicated: false, revs }
  const named = edits.map(nameEdit)
  const known = new Map([...revs, ...named.map(({ _id, _rev }) => [_id, _rev] as const)])
  return { docs: [...replicated, ...named], isReplicated: true, revs: known }
}

function nameEdit(edit: PouchWrite): PouchWrite & { _rev: string } {
  const { _rev: parent, ...body } = edit
  const [start, hash] = parent?.split('-') ?? []
  const before = { start: Number(start ?? 0), ids: hash === undefined ? [] : [hash] }
  const revisions = grow(before, JSON.stringify(body))
  return { ...body, _rev: nameRev(revisions), _revisions: revisions }
}
