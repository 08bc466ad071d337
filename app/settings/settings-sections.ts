import type { IconName } from '../ui/icons/icon-paths.ts'

export const settingsSections = [
  'account',
  'privacy',
  'security',
  'notifications',
  'storage',
  'help',
  'about',
] as const
/** The sidebar's panel leads to one more. */
export const settingsPages = [...settingsSections, 'chats'] as const
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
  help: { name: 'Help', about: 'Keyboard shortcuts, offline, contact', icon: 'help' },
  about: { name: 'About', about: 'Version', icon: 'tag' },
}
