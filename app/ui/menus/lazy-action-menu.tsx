import { lazy, Suspense } from 'react'
import type { ActionMenuProps } from './action-menu.tsx'

const loadActionMenu = () =>
  import('./action-menu.tsx').then((module) => ({ default: module.ActionMenu }))
const ActionMenu = lazy(loadActionMenu)

/** The menu, fetched when the first one opens, so that it costs the first screen nothing. */
export function LazyActionMenu(props: ActionMenuProps) {
  return (
    <Suspense fallback={null}>
      <ActionMenu {...props} />
    </Suspense>
  )
}
