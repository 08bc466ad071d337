import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type NavigateFunction, useNavigate } from 'react-router-dom'
import { keptSettings } from '../../ui/hooks/kept-settings.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { darkSystem, nameTheme, type Theme, themes } from '../screen/theme.ts'
import { useMessenger } from '../session/messenger-context.tsx'

interface ShellActionOptions {
  navigate: NavigateFunction
  theme: Theme
  isSystemDark: boolean
  nextTheme(): void
  /** Does a bar at the screen's bottom lead to the starred messages? */
  hasBar: boolean
  /** Undefined where the server has no groups. */
  openNewGroup: (() => void) | undefined
  openWhatsApp(): void
  askSignOut(): void
}

const SignOutDialog = lazy(() =>
  import('./sign-out-dialog.tsx').then((module) => ({ default: module.SignOutDialog })),
)
const NewChat = lazy(() =>
  import('../open-chat/new-chat.tsx').then((module) => ({ default: module.NewChat })),
)
const WhatsAppIntegration = lazy(() =>
  import('./whatsapp-integration.tsx').then((module) => ({ default: module.WhatsAppIntegration })),
)

interface ShellActions {
  actions: readonly MenuAction[]
  /** The dialog that an action opens; render it where it stays mounted. */
  dialog: ReactNode
}

/** The actions of 'Menu', for the rail and the drawer. */
export function useShellActions({ hasBar = false } = {}): ShellActions {
  const navigate = useNavigate()
  const { settings, groups } = useMessenger()
  const theme = useLivePart(keptSettings, ({ theme }) => theme)
  const isSystemDark = useMediaQuery(darkSystem)
  const [opened, setOpened] = useState<'sign-out' | 'whatsapp' | 'group'>()
  const close = () => setOpened(undefined)
  const nextTheme = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
    void settings.set({ theme: next })
  }
  return {
    actions: listShellActions({
      navigate,
      theme,
      isSystemDark,
      nextTheme,
      hasBar,
      openNewGroup: groups.isOn() ? () => setOpened('group') : undefined,
      openWhatsApp: () => setOpened('whatsapp'),
      askSignOut: () => setOpened('sign-out'),
    }),
    dialog: opened && (
      <Suspense fallback={null}>
        {opened === 'whatsapp' && <WhatsAppIntegration onClose={close} />}
        {opened === 'sign-out' && <SignOutDialog onClose={close} />}
        {opened === 'group' && <NewChat start="group" onClose={close} />}
      </Suspense>
    ),
  }
}

/** The actions of 'Menu'. */
function listShellActions(options: ShellActionOptions): MenuAction[] {
  const { navigate, theme, isSystemDark, nextTheme, openNewGroup, openWhatsApp, askSignOut } =
    options
  const starred = {
    label: 'Starred messages',
    icon: 'star' as const,
    onSelect: () => void navigate('/chat/starred'),
  }
  const newGroup = openNewGroup && {
    label: 'New group',
    icon: 'users' as const,
    onSelect: openNewGroup,
  }
  const go = (path: string) => () => void navigate(path)
  return [
    ...(newGroup ? [newGroup] : []),
    { label: 'Search', icon: 'search', onSelect: go('/chat/search') },
    ...(options.hasBar ? [] : [starred]),
    { label: 'Archived chats', icon: 'archive', onSelect: go('/chat/archived') },
    { label: 'Calls', icon: 'phone', onSelect: go('/chat/calls') },
    { label: 'Linked devices', icon: 'device', onSelect: go('/link') },
    { label: 'WhatsApp Integration', icon: 'whatsapp', onSelect: openWhatsApp },
    {
      label: `Theme: ${nameTheme(theme)}${theme === 'system' ? ` (${isSystemDark ? 'dark' : 'light'} now)` : ''}`,
      icon: 'moon',
      startsSection: true,
      onSelect: nextTheme,
    },
    { label: 'Log out', icon: 'logout', startsSection: true, onSelect: askSignOut },
  ]
}
