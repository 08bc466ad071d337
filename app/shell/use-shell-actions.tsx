import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { MenuAction } from '../ui/menu-action.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { listShellActions } from './list-shell-actions.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'
import { chooseTheme, darkSystem, readTheme, themes } from './theme.ts'

interface ShellActions {
  actions: readonly MenuAction[]
  /** The question that an action may ask; to be drawn somewhere that stays. */
  dialog: ReactNode
}

/** What stands behind 'Menu', in the rail and in the drawer. */
export function useShellActions(): ShellActions {
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const isSystemDark = useMediaQuery(darkSystem)
  const [isAsking, setIsAsking] = useState(false)
  const nextTheme = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
    chooseTheme(next)
    setTheme(next)
  }
  return {
    actions: listShellActions({
      navigate,
      theme,
      isSystemDark,
      nextTheme,
      askSignOut: () => setIsAsking(true),
    }),
    dialog: isAsking && <SignOutDialog onClose={() => setIsAsking(false)} />,
  }
}
