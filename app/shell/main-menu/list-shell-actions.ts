import type { NavigateFunction } from 'react-router-dom'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { nameTheme, type Theme } from '../screen/theme.ts'

interface ShellActionOptions {
  navigate: NavigateFunction
  theme: Theme
  isSystemDark: boolean
  nextTheme(): void
  openWhatsApp(): void
  askSignOut(): void
}

/** The actions of 'Menu'. */
export function listShellActions(options: ShellActionOptions): MenuAction[] {
  const { navigate, theme, isSystemDark, nextTheme, openWhatsApp, askSignOut } = options
  const go = (path: string) => () => void navigate(path)
  return [
    { label: 'Search', icon: 'search', onSelect: go('/chat/search') },
    { label: 'Starred messages', icon: 'star', onSelect: go('/chat/starred') },
    { label: 'Archived chats', icon: 'archive', onSelect: go('/chat/archived') },
    { label: 'Calls', icon: 'phone', onSelect: go('/chat/calls') },
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
