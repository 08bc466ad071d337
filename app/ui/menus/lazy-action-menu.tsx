import { lazy, Suspense } from 'react'
import type { ActionMenuProps } from './action-menu.tsx'

const loadActionMenu = () =>
  import('./action-menu.tsx').then((module) => ({ default: module.ActionMenu }))
const ActionMenu = lazy(loadActionMenu)

/** `ActionMenu`, loaded when the first menu opens, so that it does not delay the first screen. */
export function LazyActionMenu(props: ActionMenuProps) {
  return (
    <Suspense fallback={null}>
      <ActionMenu {...props} />
    </Suspense>
  )
}
