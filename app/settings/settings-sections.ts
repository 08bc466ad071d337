import type { IconName } from '../ui/icons/icon-paths.ts'

export const settingsPages = [
  'account',
  'privacy',
  'security',
  'notifications',
  'storage',
  'help',
  'about',
  'chats',
] as const
export type SettingsSection = (typeof settingsPages)[number]

/** The menu's name for each section. Source: decision 61, section 2. */
export const sectionWords: Record<
  SettingsSection,
  { name: string; about: string; icon: IconName }
> = {
  account: { name: 'Account', about: 'Profile, email, password, export', icon: 'person' },
  privacy: { name: 'Privacy', about: 'Who can see your info', icon: 'shield' },
  security: { name: 'Security', about: 'Signed-in devices', icon: 'key' },
  notifications: { name: 'Notifications', about: 'New message alerts', icon: 'bell' },
  storage: { name: 'Storage and Data', about: 'What is kept on this device', icon: 'storage' },
  chats: { name: 'Chats', about: 'Theme, wallpaper, text size', icon: 'chats' },
  help: { name: 'Help', about: 'Offline, contact, keyboard shortcuts', icon: 'help' },
  about: { name: 'About', about: 'Version', icon: 'tag' },
}

/** What each row leads to, for the search. */
const inside: Record<SettingsSection | 'shortcuts' | 'logout', readonly string[]> = {
  account: [
    'Change email',
    'Change password',
    'Export your data',
    'Import your data',
    'Delete account',
  ],
  privacy: [
    'Last seen',
    'Online',
    'About',
    'Profile picture',
    'Read receipts',
    'Who can message you first',
    'Who can add you to groups',
    'Blocked people',
  ],
  security: ['Linked devices', 'Signed-in devices', 'What is encrypted', 'Recovery key'],
  notifications: ['Sound', 'Preview of what was written', 'Quiet hours'],
  storage: ['Download pictures', 'Download videos', 'Download documents', 'Clear media'],
  chats: [
    'Theme: light or dark',
    'Wallpaper',
    'Text size',
    'The Enter key',
    'Emoji style',
    'Archived chats',
  ],
  help: ['When you’re offline', 'Report a problem', 'Contact', 'App fingerprint'],
  about: ['Version', 'Licences'],
  shortcuts: ['Keyboard shortcuts', 'Quick actions'],
  logout: ['Log out', 'Sign out'],
}

/** The rows that fit a query, each with what it was found by; all rows without one. */
export function findSettings(query: string): ReadonlyMap<string, string | undefined> {
  const wanted = query.trim().toLowerCase()
  const rows = Object.entries(inside).map(([row, names]) => {
    const words = row in sectionWords ? sectionWords[row as SettingsSection] : undefined
    const isNamed = [words?.name ?? '', words?.about ?? ''].some((text) => fits(text, wanted))
    const name = names.find((each) => fits(each, wanted))
    return {
      row,
      isFound: wanted === '' || isNamed || name !== undefined,
      by: isNamed ? undefined : name,
    }
  })
  return new Map(
    rows.flatMap(({ row, isFound, by }) => (isFound ? [[row, wanted ? by : undefined]] : [])),
  )
}

const fits = (text: string, wanted: string) => text.toLowerCase().includes(wanted)
