import { useCallback, useEffect, useState } from 'react'
import type { SharedItem } from '../../offline/shared-item.ts'
import type { SharedItems } from '../../offline/shared-items.ts'

/** Unsent items shared from other apps; `list` is undefined until loaded. */
export function useSharedItems(items: Pick<SharedItems, 'list' | 'subscribe'>) {
  const [list, setList] = useState<readonly SharedItem[]>()
  const [problem, setProblem] = useState<string>()
  const read = useCallback(async () => {
    try {
      setList(await items.list())
    } catch {
      setProblem("Couldn't read what you shared. Reload the page to try again.")
    }
  }, [items])
  useEffect(() => {
    void read()
    return items.subscribe(() => void read())
  }, [items, read])
  return { list, problem, read }
}
