import { Page } from '../ui/layout/page.tsx'
import { AboutSection } from './about-section.tsx'
import { AccountSection, type AccountSectionProps } from './account-section.tsx'
import { HelpSection } from './help-section.tsx'
import { NotificationsSection, type NotificationsSectionProps } from './notifications-section.tsx'
import { PrivacySection } from './privacy-section.tsx'
import { SecuritySection, type SecuritySectionProps } from './security-section.tsx'
import { type SettingsSection, sectionWords } from './settings-sections.ts'
import { StorageSection, type StorageSectionProps } from './storage-section.tsx'

interface SettingsSectionPageProps
  extends AccountSectionProps,
    NotificationsSectionProps,
    SecuritySectionProps,
    StorageSectionProps {
  section: SettingsSection
  onBack(): void
}

/** One section of the settings. */
export function SettingsSectionPage(props: SettingsSectionPageProps) {
  const { section, onBack } = props
  return (
    <Page title={sectionWords[section].name} backLabel="Back to settings" onBack={onBack}>
      <SectionBody {...props} />
    </Page>
  )
}

function SectionBody(props: SettingsSectionPageProps) {
  switch (props.section) {
    case 'account':
      return <AccountSection user={props.user} onLogout={props.onLogout} />
    case 'privacy':
      return <PrivacySection />
    case 'security':
      return <SecuritySection sessions={props.sessions} />
    case 'notifications':
      return <NotificationsSection notifications={props.notifications} />
    case 'storage':
      return <StorageSection {...props} />
    case 'help':
      return <HelpSection />
    case 'about':
      return <AboutSection />
  }
}
