import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { chooseTheme, darkSystem, readTheme, themes } from '../screen/theme.ts'
import { listShellActions } from './list-shell-actions.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'

const WhatsAppIntegration = lazy(() =>
  import('./whatsapp-integration.tsx').then((module) => ({ default: module.WhatsAppIntegration })),
)

interface ShellActions {
  actions: readonly MenuAction[]
  /** The dialog that an action opens; render it where it stays mounted. */
  dialog: ReactNode
}

/** The actions of 'Menu', for the rail and the drawer. */
export function useShellActions(): ShellActions {
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const isSystemDark = useMediaQuery(darkSystem)
  const [opened, setOpened] = useState<'sign-out' | 'whatsapp'>()
  const close = () => setOpened(undefined)
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
      openWhatsApp: () => setOpened('whatsapp'),
      askSignOut: () => setOpened('sign-out'),
    }),
    dialog: opened && (
      <Suspense fallback={null}>
        {opened === 'whatsapp' ? (
          <WhatsAppIntegration onClose={close} />
        ) : (
          <SignOutDialog onClose={close} />
        )}
      </Suspense>
    ),
  }
}
