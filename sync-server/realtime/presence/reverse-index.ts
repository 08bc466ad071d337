/** Which ids each owner has, and who has an id. */
export function createReverseIndex<Owner>() {
  const idsOf = new Map<Owner, ReadonlySet<string>>()
  const ownersOf = new Map<string, Set<Owner>>()
  const none: ReadonlySet<never> = new Set()

  function drop(owner: Owner, id: string) {
    const owners = ownersOf.get(id)
    owners?.delete(owner)
    if (owners?.size === 0) ownersOf.delete(id)
  }

  function add(owner: Owner, id: string) {
    const owners = ownersOf.get(id) ?? new Set()
    owners.add(owner)
    ownersOf.set(id, owners)
  }

  return {
    /** Replaces an owner's ids by `ids`, which must stay unchanged. @returns the new ones */
    set(owner: Owner, ids: ReadonlySet<string>): string[] {
      const before = idsOf.get(owner) ?? none
      const fresh = [...ids].filter((id) => !before.has(id))
      for (const id of before) if (!ids.has(id)) drop(owner, id)
      for (const id of fresh) add(owner, id)
      if (ids.size > 0) idsOf.set(owner, ids)
      else idsOf.delete(owner)
      return fresh
    },
    remove(owner: Owner) {
      for (const id of idsOf.get(owner) ?? none) drop(owner, id)
      idsOf.delete(owner)
    },
    clear() {
      idsOf.clear()
      ownersOf.clear()
    },
    idsOf: (owner: Owner): ReadonlySet<string> => idsOf.get(owner) ?? none,
    ownersOf: (id: string): ReadonlySet<Owner> => ownersOf.get(id) ?? none,
    countIds: () => ownersOf.size,
  }
}
