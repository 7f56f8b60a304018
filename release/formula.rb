# `formula.rb FORMULA DIST PREFIX VERSION TARGET`: does with our formula what Homebrew does with it: compares the checksums of the archives that are
# in DIST, installs the one for TARGET into PREFIX, and runs the test. Knows the words of our formula and no others, so that a misspelled one fails.

require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

FORMULA, DIST, PREFIX, VERSION, TARGET = ARGV

# What Homebrew adds to a path.
class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each do |source|
      (source.is_a?(Hash) ? source : { source => File.basename(source) }).each { |from, to| FileUtils.cp(from, self / to) }
    end
  end
end

class Formula
  class << self
    attr_reader :tried, :fields, :urls, :sums

    def inherited(formula)
      super
      formula.instance_exec { @fields, @urls, @sums, @for = {}, {}, {}, [] }
      @made = formula
    end

    def made = @made

    %i[desc homepage license].each { |field| define_method(field) { |value| @fields[field] = value } }
    { on_macos: "apple-darwin", on_linux: "unknown-linux-gnu", on_arm: "aarch64", on_intel: "x86_64" }.each do |word, part|
      define_method(word) do |&block|
        @for.push(part)
        block.call
        @for.pop
      end
    end
    def url(value) = @urls[@for.reverse.join("-")] = value
    def sha256(value) = @sums[@for.reverse.join("-")] = value
    def test(&block) = @tried = block
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", fish_completion: "share/fish/vendor_completions.d",
    zsh_completion: "share/zsh/site-functions" }.each { |name, folder| define_method(name) { Pathname(PREFIX) / folder } }

  def testpath = @testpath ||= Pathname(Dir.mktmpdir)

  def shell_output(command, status = 0)
    output, ended = Open3.capture2e(command)
    ended.exitstatus == status ? output : abort("#{command}: exit status #{ended.exitstatus}\n#{output}")
  end

  def assert_match(wanted, text) = text.include?(wanted) || abort("#{wanted} is not in\n#{text}")
end

load FORMULA
formula = Formula.made
text = formula.fields[:desc]
# What `brew audit` asks of a description.
abort "desc: #{text}" if text.length > 80 || text.end_with?(".") || text.match?(/\A(an?|the|argocd-jobs) /i)
abort "license: #{formula.fields}" unless formula.fields[:license] == "Apache-2.0" && formula.fields[:homepage].start_with?("https://")
formula.urls.each do |target, url|
  name = "argocd-jobs-#{VERSION}-#{target}.tar.gz"
  abort "#{target}: #{url}" unless url == "#{formula.fields[:homepage]}/releases/download/v#{VERSION}/#{name}"
  archive = File.join(DIST, name)
  abort "#{name} has another checksum" if File.file?(archive) && Digest::SHA256.file(archive).hexdigest != formula.sums[target]
end
abort "no archive for #{TARGET}" unless formula.urls.key?(TARGET)
made = formula.new
Dir.mktmpdir do |folder|
  system("tar", "-xzf", File.join(DIST, "argocd-jobs-#{VERSION}-#{TARGET}.tar.gz"), "-C", folder, exception: true)
  Dir.chdir(Dir.glob("#{folder}/*").first) { made.install }
end
made.instance_exec(&formula.tried)
puts "the formula has #{formula.urls.size} archives, and installs #{Dir.glob("#{PREFIX}/**/*").count { |path| File.file?(path) }} files"
