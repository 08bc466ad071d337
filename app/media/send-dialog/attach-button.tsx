import { useState } from 'react'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { LazyActionMenu } from '../../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../../ui/menus/menu-action.ts'

/** The attach menu before the composer's field; hidden while empty. */
export function AttachButton({ actions }: { actions: readonly MenuAction[] }) {
  const [menuPoint, setMenuPoint] = useState<MenuPoint>()
  if (actions.length === 0) return null
  return (
    <>
      <IconButton
        icon="attach"
        label="Attach"
        aria-haspopup="menu"
        aria-expanded={menuPoint !== undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          setMenuPoint({ x: box.left, y: box.top })
        }}
      />
      {menuPoint && (
        <LazyActionMenu
          label="Attach"
          point={menuPoint}
          actions={actions}
          onClose={() => setMenuPoint(undefined)}
        />
      )}
    </>
  )
}
